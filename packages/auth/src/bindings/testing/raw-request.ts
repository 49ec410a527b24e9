import { connect, type Socket } from 'node:net'

const socketTo = (origin: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const socket = connect(Number(port), hostname, () => resolve(socket))
    socket.once('error', reject)
  })

/** Sends `head` as it is, and gives everything that comes until the server closes. */
export async function rawRequest(origin: string, head: string): Promise<string> {
  const socket = await socketTo(origin)
  const chunks: Uint8Array[] = []
  socket.on('data', (chunk: Uint8Array) => void chunks.push(chunk))
  socket.write(head)
  await new Promise((resolve) => socket.once('close', resolve))
  return Buffer.concat(chunks).toString('latin1')
}

/** Sends `head`, and leaves without an answer once `when` resolves. */
export async function hangUp(origin: string, head: string, when: () => Promise<void>): Promise<void> {
  const socket = await socketTo(origin)
  socket.on('error', () => {})
  socket.write(head)
  await when()
  socket.destroy()
}
