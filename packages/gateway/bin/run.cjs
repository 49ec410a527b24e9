'use strict'
// Only ever loaded by the right Node: `gatepost.cjs` has seen to that.
const { constants, enableCompileCache, flushCompileCache } = require('node:module')
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')
const { setFlagsFromString } = require('node:v8')

// Loading hundreds of modules makes much garbage in little time: a young generation that grows for it stays as large,
// some 20 MB for a service that has nothing to do. It may grow once there is work.
setFlagsFromString('--semi-space-growth-factor=1')
setTimeout(() => setFlagsFromString('--semi-space-growth-factor=2'), 5_000).unref()

const root = join(__dirname, '..', '..', '..')
// Without it every start strips and compiles all modules again. A folder that cannot be written to is no error.
const cache = enableCompileCache(process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'gatepost'))
if (cache.status === constants.compileCacheStatus.ENABLED) {
  // The cache is otherwise written at exit, which a service that ends by SIGKILL never reaches.
  setTimeout(() => flushCompileCache(), 5_000).unref()
}

import(pathToFileURL(join(__dirname, '..', 'src', 'cli', 'main.ts')).href).catch((error) => {
  console.error(error)
  process.exit(1)
})
