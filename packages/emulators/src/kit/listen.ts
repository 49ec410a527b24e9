import type { ServerResponse } from 'node:http'
import type { Server } from 'node:net'

/** Rejects when the port is taken. */
export function listen(server: Server, port: number, host = '127.0.0.1'): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** A fault of the emulator itself must be seen. */
export function tellCrash(error: unknown): void {
  process.stderr.write(`emulator: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
}

/** Nor may it be taken for one of the platform. */
export function answerCrash(response: ServerResponse, error: unknown): void {
  tellCrash(error)
  if (response.headersSent || response.destroyed) return void response.destroy()
  response.writeHead(500, { 'content-type': 'text/plain' }).end('The emulator itself failed; see its standard error.')
}
