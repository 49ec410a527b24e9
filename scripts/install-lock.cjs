'use strict'
// Old syntax on purpose: called by `ensure-install.cjs`, on whatever Node a person has.
// One process at a time changes what is installed or built here.
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

/** Takes the lock of the installation, and waits until nobody else has it. */
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
    if (waitedMs > WAIT_MS) throw new Error('another installation does not finish; if there is none, delete ' + LOCK)
    try {
      var holder = Number(fs.readFileSync(LOCK, 'utf8'))
      // empty: taken at this moment, or by a process that died while it wrote
      var isLeft = holder ? !isAlive(holder) : Date.now() - fs.statSync(LOCK).mtimeMs > 10000
      if (isLeft) fs.unlinkSync(LOCK)
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
    }
  }
}

/** Gives the lock back, unless somebody took it away meanwhile. */
function release() {
  try {
    if (Number(fs.readFileSync(LOCK, 'utf8')) === process.pid) fs.unlinkSync(LOCK)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}

module.exports = { take: take, release: release }
