import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Inbox } from '../../connection.ts'
import { ConnectionError } from '../../errors.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { parseTrustedUrl } from '../wire/urls.ts'
import { fetchBot, fetchConnectionCount, fetchScopes, type BotProfile, missingScopes, recordConnected } from './bot.ts'
import { catchUp, CAUGHT_UP, findMissedSince, pendingCursor } from './catch-up.ts'
import { readData, type FeishuClient } from './client.ts'
import { consolePage, type FeishuCredentials } from './credentials.ts'
import { readEvent, readMembership } from './decode.ts'
import { type Intake, openIntake } from './intake.ts'
import { toConnectionError, isRejection, describeFailure } from './outcome.ts'
import { readPingMs, HandshakeFailed, openSocket, type Handlers, type LongConnection } from './socket.ts'

const ASK_MS = 10_000
/** Heartbeats are checked this often, or at every ping if those are more frequent. */
const LOOK_MS = 30_000
/** An earlier connection of ours may be counted for a while after it has ended. */
const FIRST_COUNT_MS = 60_000
/** Each look is a call of a monthly quota. */
const COUNT_MS = 60 * 60_000
const COUNT_AGAIN_MS = 5 * 60_000

/** What a run is made of. */
interface Receiving {
  readonly credentials: FeishuCredentials
  readonly client: FeishuClient
  readonly io: PlatformIo
  readonly inbox: Inbox
}

/**
 * Receives until `signal` aborts. An event is acknowledged when the inbox has stored it.
 * @throws {ConnectionError} and what `inbox` throws.
 */
export async function receive(receiving: Receiving, signal: AbortSignal): Promise<void> {
  const { credentials, client, io, inbox } = receiving
  // discovery does not say what is wrong with a secret
  const rejected = await client.checkToken(signal)
  if (signal.aborted) return
  if (rejected !== null) throw toConnectionError(rejected)
  const bot = await loadBot(receiving, signal)
  if (signal.aborted) return
  const sinceMs = await findMissedSince(inbox, io.clock.now())
  const over = new AbortController()
  const until = AbortSignal.any([signal, over.signal])
  if (sinceMs !== null) await inbox.accept([], pendingCursor(sinceMs))
  const { app_id: appId } = credentials
  const botId = bot?.openId ?? null
  const intake = openIntake({ inbox, client, io, botId, appId, signal: until })
  const line = await openLongConnection(client, io, createHandlers(intake, inbox, io), signal)
  if (line === null) return
  const history = async (): Promise<void> => {
    if (sinceMs === null) return
    await catchUp(sinceMs, { inbox, intake, client, io, signal: until })
    if (!until.aborted) await inbox.accept([], CAUGHT_UP)
  }
  try {
    inbox.alive()
    await Promise.race([
      intake.failed,
      waitForEnd(line, signal, over.signal),
      history().then(() => watchProblems(receiving, bot, until)),
      watchLife(line, receiving, until),
    ])
  } finally {
    over.abort()
    await intake.settled()
    await nextTurn() // what has been stored is acknowledged in the turn after
    line.close()
  }
  if (signal.aborted) return
  const why = await client.checkToken(signal)
  if (why !== null && isRejection(why)) throw toConnectionError(why)
  throw new ConnectionError('network', 'Feishu closed the long connection.')
}

function createHandlers(intake: Intake, inbox: Inbox, io: PlatformIo): Handlers {
  const membership = (checkReachable: boolean) => async (event: unknown) => {
    const change = readMembership(event, checkReachable)
    if (change !== null) await intake.event(change)
  }
  return {
    'im.message.receive_v1': async (event) => {
      inbox.alive()
      const raw = readEvent(event)
      if (raw !== null) return intake.message(raw)
      io.log.warn('Dropped a malformed Feishu event', { type: 'im.message.receive_v1' })
    },
    'im.chat.member.bot.added_v1': membership(false),
    'im.chat.member.bot.deleted_v1': membership(true),
    'im.chat.disbanded_v1': membership(true),
  }
}

/** `null`: the bot cannot be asked, and is not recognised in groups. */
async function loadBot({ client, io, inbox }: Receiving, signal: AbortSignal): Promise<BotProfile | null> {
  const answer = await fetchBot(client, { signal, timeoutMs: ASK_MS })
  if ('bot' in answer) {
    inbox.named(answer.bot.name)
    return answer.bot
  }
  if (signal.aborted) return null
  if (answer.failure.kind !== 'answer') throw toConnectionError(answer.failure)
  io.log.warn("Couldn't read the Feishu bot's profile", { why: describeFailure(answer.failure) })
  return null
}

/** Resolves when the line has ended or the run is stopped. */
function waitForEnd(line: LongConnection, signal: AbortSignal, over: AbortSignal): Promise<void> {
  const stopped = Promise.withResolvers<void>()
  if (signal.aborted) stopped.resolve()
  signal.addEventListener('abort', () => stopped.resolve(), { once: true, signal: over })
  return Promise.race([line.ended, stopped.promise])
}

/** Every byte is a heartbeat. Resolves when stopped. */
async function watchLife(
  line: LongConnection,
  { inbox, io, credentials }: Receiving,
  until: AbortSignal,
): Promise<void> {
  const nowMs = io.clock.now()
  const health = { connectedAtMs: nowMs, pingMs: line.pingMs, heardAtMs: nowMs }
  const gone = recordConnected(io, credentials.app_id, health)
  let received = line.received()
  while (!until.aborted) {
    await io.clock.sleep(Math.min(LOOK_MS, line.pingMs), until)
    health.pingMs = line.pingMs
    if (until.aborted || line.received() === received) continue
    received = line.received()
    health.heardAtMs = io.clock.now()
    inbox.alive()
  }
  gone()
}

/** Reports problems that need the operator, and when they are solved. Resolves when stopped. */
async function watchProblems(receiving: Receiving, bot: BotProfile | null, until: AbortSignal): Promise<void> {
  const { client, io, inbox, credentials } = receiving
  const lasting = await findLastingProblem(receiving, bot, until)
  if (until.aborted) return
  if (lasting !== null) inbox.degraded({ code: 'configuration', message: lasting })
  let waitMs = FIRST_COUNT_MS
  let isReported = false
  for (;;) {
    await io.clock.sleep(waitMs, until)
    if (until.aborted) return
    const online = await fetchConnectionCount(client, { signal: until, timeoutMs: ASK_MS })
    const shared = online !== null && online > 1
    waitMs = shared ? COUNT_AGAIN_MS : COUNT_MS
    if (shared && !isReported) {
      io.log.warn('Another program is connected as this Feishu app', { app_id: credentials.app_id, online })
      inbox.degraded({
        code: 'taken_over',
        message: `${online} programs are connected as this app, and each message goes to only one of them. Stop the others, or give each its own app.`,
      })
    }
    if (!shared && isReported) inbox.degraded(lasting === null ? null : { code: 'configuration', message: lasting })
    isReported = shared
  }
}

async function findLastingProblem(
  { client, credentials }: Receiving,
  bot: BotProfile | null,
  until: AbortSignal,
): Promise<string | null> {
  const page = (name: string): string => consolePage(client.base, credentials.app_id, name)
  if (bot === null) return `The app has no bot. Add the bot capability: ${page('bot')}`
  if (!bot.usable) {
    return `The bot isn't enabled, or no version with it has been published. Publish one: ${page('version')}`
  }
  const granted = await fetchScopes(client, { signal: until, timeoutMs: ASK_MS })
  const missing = granted === null ? [] : missingScopes(granted)
  if (missing.length === 0) return null
  return `The app is missing scopes: ${missing.join(', ')}. Grant them and publish a version: ${page('auth')}`
}

/** What the platform documents, for an answer without one that makes sense. */
const PING_MS = 120_000
/** Of the codes of a refused upgrade, the one that says more than that it was refused. */
const TOO_MANY_CONNECTIONS = 1000040350

/**
 * Asks where to connect, and connects.
 * @returns `null` when stopped.
 * @throws {ConnectionError}
 */
async function openLongConnection(
  client: FeishuClient,
  io: PlatformIo,
  handlers: Handlers,
  signal: AbortSignal,
): Promise<LongConnection | null> {
  const answer = await client.discover(signal)
  if (signal.aborted) return null
  if (!answer.ok) throw toConnectionError(answer.failure)
  const data = readData(answer.body)
  const url = parseTrustedUrl(data['URL'], 'socket', { configured: client.base })
  if (url === null) {
    throw new ConnectionError('network', 'Feishu returned an untrusted connection URL. Check domain.')
  }
  const pingMs = readPingMs(data['ClientConfig']) ?? PING_MS
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
      throw toConnectionError({ kind: 'answer', status: 400, code, msg: 'the upgrade was refused' })
    }
    const why = code === null ? '' : ` (code ${code})`
    throw new ConnectionError('network', `Couldn't open the long connection to Feishu${why}.`)
  }
}
