"""What a body is: names of the usual rigs, limbs, parts that are rigid."""
