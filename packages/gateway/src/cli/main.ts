import { processIo } from './io.ts'
import { runProgram } from './program.ts'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (stop.signal.aborted) queueMicrotask(() => process.exit(130)) // asked twice: at once, after the other listeners
    stop.abort(signal)
  })
}
// A reader that goes away (`gatepost status | head -1`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

process.exitCode = await runProgram(process.argv.slice(2), processIo(stop.signal))
