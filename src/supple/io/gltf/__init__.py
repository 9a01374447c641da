"""Reading glTF 2.0: .gltf with its buffers, .glb, and .vrm, which is a .glb with more in it."""
