import { ConnectionError } from '../../errors.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { checkedUrl } from '../wire/server-url.ts'
import { dataOf, type FeishuClient } from './client.ts'
import { connectionErrorOf } from './outcome.ts'
import { pingMsOf } from './ping-interval.ts'
import { type Handlers, HandshakeFailed, type Line, openSocket } from './socket.ts'

/** What the platform documents, for an answer without one that makes sense. */
const PING_MS = 120_000
/** Of the codes of a refused upgrade, the one that says more than that it was refused. */
const TOO_MANY_CONNECTIONS = 1000040350

/**
 * Asks where to connect, and connects.
 * @returns `null` when stopped.
 * @throws {ConnectionError}
 */
export async function openLine(
  client: FeishuClient,
  io: PlatformIo,
  handlers: Handlers,
  signal: AbortSignal,
): Promise<Line | null> {
  const answer = await client.discover(signal)
  if (signal.aborted) return null
  if (!answer.ok) throw connectionErrorOf(answer.failure)
  const data = dataOf(answer.body)
  const url = checkedUrl(data['URL'], 'socket', { configured: client.base })
  if (url === null) {
    throw new ConnectionError('network', 'Feishu named no address to connect to that may be opened: is domain right?')
  }
  const pingMs = pingMsOf(data['ClientConfig']) ?? PING_MS
  try {
    const line = await openSocket({ url, pingMs, io, handlers }, signal)
    if (!signal.aborted) return line
    line.close()
    return null
  } catch (error) {
    if (signal.aborted) return null
    if (!(error instanceof HandshakeFailed)) throw error
    const { code } = error
    if (code === TOO_MANY_CONNECTIONS) {
      throw connectionErrorOf({ kind: 'answer', status: 400, code, msg: 'the upgrade was refused' })
    }
    const why = code === null ? '' : ` (code ${code})`
    throw new ConnectionError('network', `The long connection to Feishu could not be opened${why}.`)
  }
}
