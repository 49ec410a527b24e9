#!/usr/bin/env node
'use strict'
// Old syntax on purpose: this is what runs first, on whatever Node a person has. It finds the pinned Node and starts
// the command line (`src/cli/main.ts`) under it.
var childProcess = require('child_process')
var fs = require('fs')
var os = require('os')
var path = require('path')
var pinned = require('./pinned-node.cjs')

var root = path.join(__dirname, '..', '..', '..')

function fail(sentence) {
  console.error(sentence)
  process.exit(1)
}

/** In a clone where something is still missing, sees to it; elsewhere does nothing. Exits with a sentence when it cannot. */
function installInClone() {
  var script = path.join(root, 'scripts', 'ensure-install.cjs')
  var needed = [path.join(root, 'node_modules', '.package-lock.json'), path.join(root, 'packages', 'console', 'dist')]
  if (needed.every(fs.existsSync) || !fs.existsSync(script)) return
  var problem = require(script).ensureInstall({ dev: false })
  if (problem) fail(problem)
}

/** Runs this same file under `node`; passes on signals, and ends as the child ends. */
function runUnder(node) {
  var child = childProcess.spawn(node, [__filename].concat(process.argv.slice(2)), { stdio: 'inherit' })
  ;['SIGINT', 'SIGTERM', 'SIGHUP'].forEach(function (signal) {
    process.on(signal, function () {
      // A terminal sends these to the child as well: sending them again would look like a second Ctrl-C.
      if (signal === 'SIGTERM' || !process.stdin.isTTY) child.kill(signal)
    })
  })
  child.on('error', function (error) {
    fail('Gatepost could not start its own Node (' + node + '): ' + error.message)
  })
  child.on('exit', function (code, signal) {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
    // The signal ends this process; where it does not (Windows), the shell's number for it stands in.
    setTimeout(function () {
      process.exit(128 + (os.constants.signals[signal] || 0))
    }, 100)
  })
}

installInClone()
if (pinned.isRightVersion(process.versions.node)) {
  require('./run.cjs')
} else {
  var node = pinned.findPinnedNode(__dirname)
  if (node === null) fail(pinned.missingNodeMessage())
  runUnder(node)
}
