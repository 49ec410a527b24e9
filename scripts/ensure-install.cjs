'use strict'
// Old syntax on purpose: runs before anything is installed, on any version of Node.
// Installs the dependencies of package-lock.json if they are missing, builds the web console if it is out of date, and
// checks that the pinned Node starts.
// `--dev` also requires the development dependencies.
var childProcess = require('child_process')
var fs = require('fs')
var path = require('path')
var webConsole = require('./build-console.cjs')
var lock = require('./install-lock.cjs')
var pinned = require('../packages/gateway/bin/pinned-node.cjs')

var ROOT = path.join(__dirname, '..')

function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return null
    throw error
  }
}

/**
 * Returns whether node_modules matches the lockfile. npm's last step is to write what it installed to
 * node_modules/.package-lock.json. Contents are compared, because timestamps mean nothing after a git checkout.
 */
function isInstalled(needsDev) {
  var wanted = readJson(path.join(ROOT, 'package-lock.json'))
  var found = readJson(path.join(ROOT, 'node_modules', '.package-lock.json'))
  if (wanted === null) throw new Error('package-lock.json is missing or not JSON')
  if (found === null) return false
  return Object.keys(wanted.packages).every(function (key) {
    var want = wanted.packages[key]
    var have = found.packages[key]
    if (key.indexOf('node_modules/') === -1) return true
    if (have) return have.version === want.version && have.integrity === want.integrity && have.link === want.link
    return Boolean(want.optional || want.devOptional || (want.dev && !needsDev))
  })
}

/** Runs `npm ci`. @returns null, or an error message */
function runNpm(needsDev) {
  // Windows can't delete a running program, which `npm ci` would do with the pinned Node.
  var runsFromModules = process.execPath.indexOf(path.join(ROOT, 'node_modules')) === 0
  var args = process.platform === 'win32' && runsFromModules ? ['install', '--no-save'] : ['ci']
  args.push('--include=optional', '--no-audit', '--no-fund', '--loglevel=error')
  if (needsDev) args.push('--include=dev')
  // A program may read the caller's stdout, so all output goes to stderr.
  var options = { cwd: ROOT, stdio: ['ignore', 2, 2] }
  var cli = process.env.npm_execpath
  var result
  if (cli && /np[mx]-cli\.[cm]?js$/.test(cli)) {
    var script = cli.replace(/npx-cli(\.[cm]?js)$/, 'npm-cli$1')
    result = childProcess.spawnSync(process.env.npm_node_execpath || process.execPath, [script].concat(args), options)
  } else {
    options.shell = process.platform === 'win32' // npm is a .cmd file there, which needs a shell; the arguments are fixed
    result = childProcess.spawnSync('npm', args, options)
  }
  if (result.error) return "Couldn't start npm to install the dependencies: " + result.error.message
  if (result.status === 0) return null
  return "Couldn't install the dependencies: see npm's output above. Run `npm ci` to retry."
}

/** Fills the compile cache, so that even the first start is fast and small. */
function warmUp() {
  var node = pinned.isRightVersion(process.versions.node) ? process.execPath : pinned.findPinnedNode(ROOT)
  if (node === null) return // reported by the check of the pinned Node
  var script = path.join(ROOT, 'packages', 'gateway', 'bin', 'warm-up.cjs')
  var result = childProcess.spawnSync(node, [script], { cwd: ROOT, stdio: ['ignore', 'ignore', 2] })
  if (result.status !== 0) console.error("Couldn't compile the modules in advance. The first start will take longer.")
}

/** @returns null, or an error message */
function install(needsDev) {
  lock.take()
  try {
    if (!isInstalled(needsDev)) {
      console.error('Installing dependencies (once, up to a minute)...')
      var problem = runNpm(needsDev)
      if (problem !== null) return problem
      warmUp()
    }
    if (webConsole.isBuilt()) return null
    console.error('Building the web console (once, a few seconds)...')
    return webConsole.build()
  } finally {
    lock.release()
  }
}

/** Checks that the pinned Node exists and starts, which it doesn't on a system with another C library. */
function checkNode() {
  if (pinned.isRightVersion(process.versions.node)) return null
  var node = pinned.findPinnedNode(ROOT)
  if (node === null) return pinned.missingNodeMessage()
  var version = childProcess.spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' })
  if (version.status === 0 && pinned.isRightVersion(version.stdout)) return null
  return "Gatepost's own Node doesn't start on this system. Install Node 26.10 or a later 26.x."
}

/**
 * @param options.dev whether the development dependencies are required too
 * @returns null, or a message with the problem and what to do
 */
function ensureInstall(options) {
  try {
    var problem = isInstalled(options.dev) && webConsole.isBuilt() ? null : install(options.dev)
    return problem || checkNode()
  } catch (error) {
    return "Couldn't install the dependencies: " + error.message
  }
}

module.exports = { ensureInstall: ensureInstall }

if (require.main === module) {
  var problem = ensureInstall({ dev: process.argv.indexOf('--dev') !== -1 })
  if (problem) {
    console.error(problem)
    process.exit(1)
  }
}
