'use strict'
// Old syntax on purpose: called by `ensure-install.cjs`, on whatever Node a person has.
// Builds the web console when its sources are not those of the build that is there.
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
/** What a build is made from, besides the files below `src`. The lockfile names the versions of the libraries. */
var SOURCES = ['index.html', 'vite.config.ts', 'package.json', 'src', '../auth/src/client', '../../package-lock.json']

function filesBelow(file) {
  if (!fs.statSync(file).isDirectory()) return [file]
  // oxlint-disable-next-line unicorn/no-array-sort -- an old Node has no `toSorted`
  var names = fs.readdirSync(file).sort()
  return names.reduce(function (all, name) {
    return all.concat(filesBelow(path.join(file, name)))
  }, [])
}

/** One text for one state of the sources. Tests are no part of them. */
function fingerprint() {
  var hash = crypto.createHash('sha256')
  SOURCES.forEach(function (source) {
    filesBelow(path.join(CONSOLE, source)).forEach(function (file) {
      if (/\.test\.tsx?$/.test(file) || /[\\/]testing[\\/]/.test(file)) return
      hash.update(path.relative(CONSOLE, file) + '\0')
      hash.update(fs.readFileSync(file))
    })
  })
  return hash.digest('hex')
}

function builtFrom() {
  try {
    return fs.readFileSync(path.join(DIST, STAMP), 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return null
    throw error
  }
}

/** Whether there is a build of the sources as they are. */
function isBuilt() {
  return builtFrom() === fingerprint()
}

/** Makes the build beside the old one, and puts it into its place. @returns null, or one sentence that says what is wrong */
function build() {
  var node = pinned.isRightVersion(process.versions.node) ? process.execPath : pinned.findPinnedNode(ROOT)
  if (node === null) return pinned.missingNodeMessage()
  var sources = fingerprint()
  var fresh = DIST + '-' + process.pid
  var vite = path.join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js')
  var args = [vite, 'build', CONSOLE, '--outDir', fresh, '--emptyOutDir', '--logLevel', 'warn']
  // Whoever starts it may have said otherwise, as test runners do: the libraries would be those for development.
  var env = Object.assign({}, process.env, { NODE_ENV: 'production' })
  var result = childProcess.spawnSync(node, args, { cwd: CONSOLE, env: env, stdio: ['ignore', 2, 2] })
  if (result.error || result.status !== 0) {
    fs.rmSync(fresh, { recursive: true, force: true })
    return 'Gatepost could not build its web console: ' + (result.error ? result.error.message : 'see above')
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
    // somebody else may have built it meanwhile
    problem = isBuilt() ? null : build()
  } finally {
    lock.release()
  }
  if (problem) {
    console.error(problem)
    process.exit(1)
  }
}
