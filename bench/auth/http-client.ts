import { Agent, type IncomingMessage, request } from 'node:http'

type Headers = Readonly<Record<string, string>>

/** An answer, read to its end. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** One server, over connections that stay open. */
export interface Client {
  get(path: string, headers?: Headers): Promise<Answer>
  /** Fields as a form. */
  post(path: string, fields: Readonly<Record<string, string>>, headers?: Headers): Promise<Answer>
  close(): void
}

export function httpClient(origin: string): Client {
  const agent = new Agent({ keepAlive: true })
  const ask = (method: string, path: string, headers: Headers, sent?: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const outgoing = request(`${origin}${path}`, { agent, method, headers }, (response) => {
        let body = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          body += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
        response.on('error', reject)
      })
      outgoing.on('error', reject)
      outgoing.end(sent)
    })
  return {
    get: (path, headers = {}) => ask('GET', path, headers),
    post(path, fields, headers = {}) {
      const body = new URLSearchParams(fields).toString()
      const type = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(body.length) }
      return ask('POST', path, { ...type, ...headers }, body)
    },
    close: () => agent.destroy(),
  }
}
