// Names of the engine as people read them.

/** "LayeredLattice" and "layered_lattice" as "Layered lattice". */
export function plainName(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[_-]+/g, " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
