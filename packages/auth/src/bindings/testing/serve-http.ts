import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A host's application on a real socket. */
export interface Served {
  /** `http://127.0.0.1:port` */
  readonly origin: string
  close(): Promise<void>
}

/** The port of a server that has just begun to listen; closing it ends what is open. */
export async function startServer(server: Server): Promise<Served> {
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo // it listens on TCP
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
