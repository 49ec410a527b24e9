import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

type Headers = Readonly<Record<string, string>>

/** A complete response. */
export interface Answer {
  readonly status: number
  /** The status line and the headers. */
  readonly head: string
  readonly body: string
}

/**
 * An HTTP client for one server with persistent connections. It takes far less CPU time than the server: if it were
 * slower, the server would sleep between requests, and its wake-ups would count as the cost of requests.
 */
export interface Client {
  get(path: string, headers?: Headers): Promise<Answer>
  /** Posts fields as a form. */
  post(path: string, fields: Readonly<Record<string, string>>, headers?: Headers): Promise<Answer>
  postJson(path: string, body: object, headers?: Headers): Promise<Answer>
  close(): void
}

export function createHttpClient(origin: string): Client {
  const { host, hostname, port } = new URL(origin)
  const idle: Connection[] = []
  const open = new Set<Connection>()
  const ask = async (method: string, path: string, headers: Headers, body = ''): Promise<Answer> => {
    // the server closes idle connections
    let connection = idle.pop()
    while (connection?.isClosed() === true) connection = idle.pop()
    if (connection === undefined) {
      const socket = connect({ port: Number(port), host: hostname, noDelay: true })
      await once(socket, 'connect')
      open.add((connection = createConnection(socket)))
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const answer = await connection.ask(`${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${lines.join('')}\r\n${body}`)
    idle.push(connection)
    return answer
  }
  return {
    get: (path, headers = {}) => ask('GET', path, headers),
    post(path, fields, headers = {}) {
      const body = new URLSearchParams(fields).toString()
      const type = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(body.length) }
      return ask('POST', path, { ...type, ...headers }, body)
    },
    postJson(path, value, headers = {}) {
      const body = JSON.stringify(value)
      const type = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
      return ask('POST', path, { ...type, ...headers }, body)
    },
    close() {
      for (const connection of open) connection.close()
    },
  }
}

interface Connection {
  isClosed(): boolean
  /** A connection that sends one request at a time. */
  ask(request: string): Promise<Answer>
  close(): void
}

function createConnection(socket: Socket): Connection {
  let received = ''
  let waiting: { resolve(answer: Answer): void; reject(error: Error): void } | null = null
  const fail = (error: Error): void => {
    waiting?.reject(error)
    waiting = null
  }
  socket.setEncoding('latin1') // one character for each byte, as lengths count
  socket.on('data', (text: string) => {
    received += text
    const answer = parseAnswer(received)
    if (answer === null) return
    received = ''
    waiting?.resolve(answer)
    waiting = null
  })
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('the server has closed the connection')))
  return {
    ask(request) {
      socket.write(request)
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject }
      })
    },
    isClosed: () => socket.destroyed || socket.readableEnded,
    close: () => socket.destroy(),
  }
}

const LAST_CHUNK = '0\r\n\r\n'

/** Parses a response; `null` if it's incomplete. @see RFC 9112 section 6 */
function parseAnswer(received: string): Answer | null {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return null
  const head = received.slice(0, end)
  const body = received.slice(end + 4)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  const isWhole = length === undefined ? body.endsWith(LAST_CHUNK) : body.length >= Number(length)
  return isWhole ? { status: Number(head.slice(9, 12)), head, body } : null
}
