// Makes the page in src/supple/studio/page: three.js (vendor, minified), studio.js and studio.css (ours, readable), the rest copied.
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const web = dirname(fileURLToPath(import.meta.url));
const page = join(web, "..", "src", "supple", "studio", "page");

/** Our sources name "three" through src/three.ts alone, which becomes the file three.js beside studio.js. */
const vendorApart = {
  name: "vendor-apart",
  setup(b) {
    b.onResolve({ filter: /^(\.{1,2}\/)+three$/ }, () => ({ path: "./three.js", external: true }));
  },
};

/** Addresses in the comments of shaders are left out: no file of the page names another host. */
const withoutAddresses = {
  name: "without-addresses",
  setup(b) {
    b.onLoad({ filter: /node_modules[\\/].*\.m?js$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(
        /https?:\/\/(?!www\.w3\.org\/)[^\s"'`)]+/g,
        "(address left out)",
      ),
      loader: "js",
    }));
  },
};

const common = {
  bundle: true,
  format: "esm",
  target: "es2022",
  absWorkingDir: web,
  charset: "utf8",
  legalComments: "none",
};

function files(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? files(path) : [path];
  });
}

/** Sha256 over names and bytes of web/src and package-lock.json, in the order of their names. */
function sourcesHash() {
  const hash = createHash("sha256");
  const named = [...files(join(web, "src")), join(web, "package-lock.json")].map((path) => [
    relative(web, path).split(sep).join("/"),
    path,
  ]);
  named.sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [name, path] of named) {
    hash.update(`${name}\0`);
    hash.update(readFileSync(path));
    hash.update("\0");
  }
  return hash.digest("hex");
}

function licenses() {
  return ["three", "preact", "@preact/signals", "@preact/signals-core"]
    .map((name) => {
      const folder = join(web, "node_modules", name);
      const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      return `${name} ${version}\n\n${readFileSync(join(folder, "LICENSE"), "utf8").trim()}\n`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}

mkdirSync(page, { recursive: true });
await build({
  ...common,
  entryPoints: ["src/three.ts"],
  outfile: join(page, "three.js"),
  minify: true,
  plugins: [withoutAddresses],
});
await build({
  ...common,
  entryPoints: ["src/main.tsx"],
  outfile: join(page, "studio.js"),
  jsx: "automatic",
  jsxImportSource: "preact",
  plugins: [vendorApart, withoutAddresses],
});
await build({ ...common, entryPoints: ["src/studio.css"], outfile: join(page, "studio.css") });
copyFileSync(join(web, "src", "index.html"), join(page, "index.html"));
writeFileSync(join(page, "LICENSES.txt"), licenses());
writeFileSync(join(page, "sources.json"), `${JSON.stringify({ sha256: sourcesHash() }, null, 2)}\n`);
