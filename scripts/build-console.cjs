'use strict'
// Old syntax on purpose: `ensure-install.cjs` calls it on any version of Node.
// Builds the web console unless its build is up to date.
var childProcess = require('child_process')
var crypto = require('crypto')
var fs = require('fs')
var path = require('path')
var lock = require('./install-lock.cjs')
var pinned = require('../packages/gateway/bin/pinned-node.cjs')

var ROOT = path.join(__dirname, '..')
var CONSOLE = path.join(ROOT, 'packages', 'console')
var DIST = path.join(CONSOLE, 'dist')
var STAMP = 'sources.txt'
/** The inputs of a build. The lockfile pins the versions of the libraries. */
var SOURCES = ['index.html', 'vite.config.ts', 'package.json', 'src', '../auth/src/headless', '../../package-lock.json']

function listFiles(file) {
  if (!fs.statSync(file).isDirectory()) return [file]
  // oxlint-disable-next-line unicorn/no-array-sort -- an old Node has no `toSorted`
  var names = fs.readdirSync(file).sort()
  return names.reduce(function (all, name) {
    return all.concat(listFiles(path.join(file, name)))
  }, [])
}

/** Returns a hash of the sources, without tests. */
function hashSources() {
  var hash = crypto.createHash('sha256')
  SOURCES.forEach(function (source) {
    listFiles(path.join(CONSOLE, source)).forEach(function (file) {
      if (/\.test\.tsx?$/.test(file) || /[\\/]testing[\\/]/.test(file)) return
      hash.update(path.relative(CONSOLE, file) + '\0')
      hash.update(fs.readFileSync(file))
    })
  })
  return hash.digest('hex')
}

function readStamp() {
  try {
    return fs.readFileSync(path.join(DIST, STAMP), 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return null
    throw error
  }
}

/** Returns whether the build is up to date with the sources. */
function isBuilt() {
  return readStamp() === hashSources()
}

/** Builds next to the old build and then replaces it. @returns null, or an error message */
function build() {
  var node = pinned.isRightVersion(process.versions.node) ? process.execPath : pinned.findPinnedNode(ROOT)
  if (node === null) return pinned.missingNodeMessage()
  var sources = hashSources()
  var fresh = DIST + '-' + process.pid
  var vite = path.join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js')
  var args = [vite, 'build', CONSOLE, '--outDir', fresh, '--emptyOutDir', '--logLevel', 'warn']
  // A test runner sets another value, with which the build would contain the development versions of the libraries.
  var env = Object.assign({}, process.env, { NODE_ENV: 'production' })
  var result = childProcess.spawnSync(node, args, { cwd: CONSOLE, env: env, stdio: ['ignore', 2, 2] })
  if (result.error || result.status !== 0) {
    fs.rmSync(fresh, { recursive: true, force: true })
    return "Couldn't build the web console: " + (result.error ? result.error.message : 'see the output above')
  }
  fs.writeFileSync(path.join(fresh, STAMP), sources)
  fs.rmSync(DIST, { recursive: true, force: true })
  fs.renameSync(fresh, DIST)
  return null
}

module.exports = { isBuilt: isBuilt, build: build }

if (require.main === module && !isBuilt()) {
  lock.take()
  var problem
  try {
    // another process may have built it in the meantime
    problem = isBuilt() ? null : build()
  } finally {
    lock.release()
  }
  if (problem) {
    console.error(problem)
    process.exit(1)
  }
}
