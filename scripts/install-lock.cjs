'use strict'
// Old syntax on purpose: `ensure-install.cjs` calls it on any version of Node.
// A lock: one process at a time installs or builds.
var fs = require('fs')
var path = require('path')

var LOCK = path.join(__dirname, '..', '.cache', 'install.lock')
var WAIT_MS = 15 * 60 * 1000

function sleep(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Acquires the lock; waits while another process holds it. */
function take() {
  try {
    fs.mkdirSync(path.dirname(LOCK))
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  var waitedMs = 0
  for (;;) {
    try {
      fs.writeFileSync(LOCK, String(process.pid), { flag: 'wx' })
      return
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (waitedMs === 0) console.error('Waiting for another installation to finish...')
    sleep(250)
    waitedMs += 250
    if (waitedMs > WAIT_MS) throw new Error("another installation doesn't finish. If none is running, delete " + LOCK)
    try {
      var holder = Number(fs.readFileSync(LOCK, 'utf8'))
      // empty: being written, or the process died while writing
      var isStale = holder ? !isAlive(holder) : Date.now() - fs.statSync(LOCK).mtimeMs > 10000
      if (isStale) fs.unlinkSync(LOCK)
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
    }
  }
}

/** Releases the lock, unless another process has taken it over. */
function release() {
  try {
    if (Number(fs.readFileSync(LOCK, 'utf8')) === process.pid) fs.unlinkSync(LOCK)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}

module.exports = { take: take, release: release }
