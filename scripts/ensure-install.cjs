'use strict'
// Old syntax on purpose: runs before anything is installed, on whatever Node a person has.
// Installs what package-lock.json asks for when node_modules does not hold it, builds the web console when it is not
// that of these sources, then makes sure of the pinned Node.
// `--dev`: development dependencies are needed too.
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
 * Whether node_modules holds what the lockfile asks for. npm writes what it has installed, as its last act, to
 * node_modules/.package-lock.json; contents are compared, because times mean nothing after a git checkout.
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

/** Runs `npm ci`. @returns null, or one sentence that says what is wrong */
function runNpm(needsDev) {
  // Windows cannot delete the program that is running, which `npm ci` would do with the pinned Node.
  var runsFromModules = process.execPath.indexOf(path.join(ROOT, 'node_modules')) === 0
  var args = process.platform === 'win32' && runsFromModules ? ['install', '--no-save'] : ['ci']
  args.push('--include=optional', '--no-audit', '--no-fund', '--loglevel=error')
  if (needsDev) args.push('--include=dev')
  // The caller's stdout may be read by a program: everything said here goes to stderr.
  var options = { cwd: ROOT, stdio: ['ignore', 2, 2] }
  var cli = process.env.npm_execpath
  var result
  if (cli && /np[mx]-cli\.[cm]?js$/.test(cli)) {
    var script = cli.replace(/npx-cli(\.[cm]?js)$/, 'npm-cli$1')
    result = childProcess.spawnSync(process.env.npm_node_execpath || process.execPath, [script].concat(args), options)
  } else {
    options.shell = process.platform === 'win32' // npm is a .cmd there, which only a shell starts; the arguments are fixed
    result = childProcess.spawnSync('npm', args, options)
  }
  if (result.error) return 'Gatepost could not start npm to install its dependencies: ' + result.error.message
  if (result.status === 0) return null
  return 'Gatepost could not install its dependencies: npm says above why; `npm ci` tries again.'
}

/** Fills the cache of compiled modules, so that already the first start is quick and small. */
function warmUp() {
  var node = pinned.isRightVersion(process.versions.node) ? process.execPath : pinned.findPinnedNode(ROOT)
  if (node === null) return // the check of the pinned Node says so
  var script = path.join(ROOT, 'packages', 'gateway', 'bin', 'warm-up.cjs')
  var result = childProcess.spawnSync(node, [script], { cwd: ROOT, stdio: ['ignore', 'ignore', 2] })
  if (result.status !== 0) console.error('The modules could not be compiled in advance: the first start takes longer.')
}

/** @returns null, or one sentence that says what is wrong */
function install(needsDev) {
  lock.take()
  try {
    if (!isInstalled(needsDev)) {
      console.error('Installing dependencies (only now; this takes up to a minute)...')
      var problem = runNpm(needsDev)
      if (problem !== null) return problem
      warmUp()
    }
    if (webConsole.isBuilt()) return null
    console.error('Building the web console (only now; this takes some seconds)...')
    return webConsole.build()
  } finally {
    lock.release()
  }
}

/** The pinned Node must be there and must start: on a system with another C library it is there and does not. */
function checkNode() {
  if (pinned.isRightVersion(process.versions.node)) return null
  var node = pinned.findPinnedNode(ROOT)
  if (node === null) return pinned.missingNodeMessage()
  var version = childProcess.spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' })
  if (version.status === 0 && pinned.isRightVersion(version.stdout)) return null
  return 'Gatepost runs on its own Node, which does not start on this system: install Node 26.10 or a later 26.x yourself.'
}

/**
 * @param options.dev whether development dependencies are needed too
 * @returns null, or one sentence that says what is wrong and what to do
 */
function ensureInstall(options) {
  try {
    var problem = isInstalled(options.dev) && webConsole.isBuilt() ? null : install(options.dev)
    return problem || checkNode()
  } catch (error) {
    return 'Gatepost could not install its dependencies: ' + error.message
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
