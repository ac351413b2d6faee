#!/usr/bin/env node
/** The executable. It is outside dist/ so that npm can link it before the first build. */
void import("../dist/cli.js");
