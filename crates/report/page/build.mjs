// Bundles the page into page.html, which the report crate embeds. `node build.mjs --check` compares instead of writing.
//
// The style and the script are inlined, and the content security policy allows exactly these two by their hashes. The data
// of a report take the place of the marker; they are no script and are never run.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const common = { bundle: true, write: false, minify: true, target: "es2022", charset: "ascii", legalComments: "none" };

const bundled = async (entry, more) => {
  const built = await esbuild.build({ ...common, ...more, entryPoints: [at(entry)] });
  return built.outputFiles[0].text.trim();
};
const script = await bundled("src/main.ts", { format: "iife" });
const style = await bundled("src/page.css", {});
if (script.includes("</script") || style.includes("</style")) throw new Error("the bundle would end its element");

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Raddle</title>
<style>${style}</style>
</head>
<body>
<noscript>This page shows a report of raddle and needs JavaScript. It loads nothing from anywhere.</noscript>
<div id="app"></div>
<script type="application/json" id="data">@RADDLE_DATA@</script>
<script>${script}</script>
</body>
</html>
`;

const target = at("page.html");
if (process.argv.includes("--check")) {
  if (readFileSync(target, "utf8") !== page) {
    console.error("page.html is not what its sources make: run `npm ci && npm run build` in crates/report/page and commit it");
    process.exit(1);
  }
} else {
  writeFileSync(target, page);
}
console.log(`page.html: ${page.length} bytes (script ${script.length}, style ${style.length})`);
