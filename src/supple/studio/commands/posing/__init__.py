"""Commands of poses that are made by hand: joints that are turned and led, strokes, and limbs that go limp."""
