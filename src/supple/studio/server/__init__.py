"""The studio's server: who may come in, and the bytes that are carried in and out."""
