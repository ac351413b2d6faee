#!/usr/bin/env node
// Not in dist/, so that npm links the command in a clone before anything is built.
void import("../dist/cli.js");
