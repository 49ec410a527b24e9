import { exponentialMs } from '../../retry.ts'
import { ConnectionError } from '../../errors.ts'
import type { Inbox } from '../../connection.ts'
import {
  fetchApplication,
  fetchBot,
  fetchGateway,
  type BotProfile,
  type Gateway,
  readApplication,
  readBot,
  readGateway,
} from './bot.ts'
import { toConnectionError, type Ending } from './outcome.ts'
import { type Position, readCursor, START } from './cursor.ts'
import type { Session } from './sdk.ts'
import { type Progress, runSession } from './session.ts'
import { parseGatewayUrl } from './client.ts'
import type { DiscordWorld } from './world.ts'

const GUILDS = 1 << 0
const GUILD_MESSAGES = 1 << 9
const DIRECT_MESSAGES = 1 << 12
const MESSAGE_CONTENT = 1 << 15
const BASIC = GUILDS | GUILD_MESSAGES | DIRECT_MESSAGES

const ASK_MS = 15_000
/** Between two new sessions. */
const IDENTIFY_EVERY_MS = 5_000
/** A session that ends sooner counts as short-lived: the daily limit is 1000 sessions. */
const STEADY_MS = 60_000
const FIRST_BACKOFF_MS = 5_000
const LAST_BACKOFF_MS = 300_000
/** How often to check whether the message content intent has been enabled. */
const ASK_AGAIN_MS = 600_000

/** State that a connection keeps between runs. */
export interface Memory {
  profile: BotProfile | null
  /** Whether the message content intent is on; `null`: not known. */
  hasContent: boolean | null
  /** New sessions in a row that ended soon. */
  shortLived: number
  identifiedAtMs: number
}

/** Creates the memory of a new connection. */
export const createMemory = (): Memory => ({
  profile: null,
  hasContent: null,
  shortLived: 0,
  identifiedAtMs: Number.NEGATIVE_INFINITY,
})

/**
 * Receives until `signal` aborts, over as many sockets as it takes.
 * @throws {ConnectionError} and what `inbox` throws
 */
export async function receive(world: DiscordWorld, memory: Memory, inbox: Inbox, signal: AbortSignal): Promise<void> {
  const bot = await loadProfile(world, memory, signal)
  if (bot === null) return
  inbox.named(bot.name)
  const gateway = await findGateway(world, signal)
  if (gateway === null) return
  const progress: Progress = {
    position: await loadPosition(world, inbox),
    heardAtMs: await inbox.lastHeardMs(),
    readyAtMs: null,
  }
  let sessionsLeft = gateway.sessionsLeft
  while (!signal.aborted) {
    const hasContent = await loadIntents(world, memory, progress.position, signal)
    if (signal.aborted) return
    const resume = findResumableSession(progress.position, hasContent, world, gateway.url)
    if (resume === null && sessionsLeft-- <= 0) throw sessionBudgetError(gateway)
    progress.readyAtMs = null
    const ending = await runSession(
      {
        world,
        inbox,
        progress,
        bot,
        url: gateway.url,
        resume,
        hasContent,
        intents: hasContent ? BASIC | MESSAGE_CONTENT : BASIC,
        waitToIdentify: (until) => waitToIdentify(world, memory, until),
        waitForMessageContent: (until) => waitForMessageContent(world, memory, until),
      },
      signal,
    )
    if (ending === null) return
    handleEnding(ending, { memory, isNew: resume === null, livedMs: livedMs(progress, world) })
  }
}

const livedMs = ({ readyAtMs }: Progress, { io }: DiscordWorld): number =>
  readyAtMs === null ? 0 : io.clock.now() - readyAtMs

/** @throws {ConnectionError} when it is not to be tried again at once. */
function handleEnding(ending: Ending, session: { memory: Memory; isNew: boolean; livedMs: number }): void {
  const { memory, isNew, livedMs } = session
  if (ending.next === 'fail') throw ending.error
  if (ending.next === 'without_content') {
    memory.hasContent = false
    return
  }
  if (livedMs >= STEADY_MS) {
    memory.shortLived = 0
    return
  }
  if (!isNew) throw new ConnectionError('network', `Discord: ${ending.why}.`)
  memory.shortLived += 1
  const retryAfterMs = exponentialMs(memory.shortLived, FIRST_BACKOFF_MS, LAST_BACKOFF_MS)
  throw new ConnectionError('network', `Discord: ${ending.why}.`, { retryAfterMs })
}

/** `null` when stopped. */
async function loadProfile({ client }: DiscordWorld, memory: Memory, signal: AbortSignal): Promise<BotProfile | null> {
  if (memory.profile !== null) return memory.profile
  const answer = await fetchBot(client, { signal, timeoutMs: ASK_MS })
  if (signal.aborted) return null
  if (!answer.ok) throw toConnectionError(answer.failure)
  memory.profile = readBot(answer.result)
  if (memory.profile === null) throw new ConnectionError('network', "The server didn't return a bot profile.")
  return memory.profile
}

/** `null` when stopped. */
async function findGateway({ client }: DiscordWorld, signal: AbortSignal): Promise<Gateway | null> {
  const answer = await fetchGateway(client, { signal, timeoutMs: ASK_MS })
  if (signal.aborted) return null
  if (!answer.ok) throw toConnectionError(answer.failure)
  const gateway = readGateway(answer.result)
  const url = gateway === null ? null : parseGatewayUrl(gateway.url, client.apiUrl)
  if (gateway === null || url === null) throw new ConnectionError('network', 'Discord returned an invalid gateway URL.')
  return { ...gateway, url }
}

async function loadPosition({ io, botId }: DiscordWorld, inbox: Inbox): Promise<Position> {
  const stored = await inbox.cursor()
  if (stored === null) return START
  const position = readCursor(stored)
  if (position === null) io.log.warn('Ignoring an unreadable Discord cursor', { bot: botId })
  return position ?? START
}

/** A session without the message content intent is given up when that has been switched on. */
function findResumableSession(
  { session }: Position,
  hasContent: boolean,
  { client }: DiscordWorld,
  url: string,
): Session | null {
  if (session === null || session.hasContent !== hasContent) return null
  const { sessionId, resumeUrl } = session
  return { sessionId, resumeUrl: parseGatewayUrl(resumeUrl, client.apiUrl) ?? url }
}

const sessionBudgetError = ({ resetAfterMs }: Gateway): ConnectionError =>
  new ConnectionError('rate_limited', "This bot has used up Discord's daily limit on new sessions.", {
    retryAfterMs: Math.max(resetAfterMs, FIRST_BACKOFF_MS),
  })

/** Returns whether to ask for the message content intent. Where Discord does not say whether it is on: as before, else yes. */
async function loadIntents(
  { client }: DiscordWorld,
  memory: Memory,
  { session }: Position,
  signal: AbortSignal,
): Promise<boolean> {
  if (memory.hasContent !== null) return memory.hasContent
  const answer = await fetchApplication(client, { signal, timeoutMs: ASK_MS })
  const application = answer.ok ? readApplication(answer.result) : null
  if (application === null) return session?.hasContent ?? true
  memory.hasContent = application.hasContent
  return application.hasContent
}

async function waitToIdentify({ io }: DiscordWorld, memory: Memory, until: AbortSignal): Promise<void> {
  const waitMs = memory.identifiedAtMs + IDENTIFY_EVERY_MS - io.clock.now()
  if (waitMs > 0) await io.clock.sleep(waitMs, until)
  until.throwIfAborted()
  memory.identifiedAtMs = io.clock.now()
}

async function waitForMessageContent({ io, client }: DiscordWorld, memory: Memory, until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    await io.clock.sleep(ASK_AGAIN_MS, until)
    if (until.aborted) return
    const answer = await fetchApplication(client, { signal: until, timeoutMs: ASK_MS })
    if (answer.ok && readApplication(answer.result)?.hasContent === true) {
      memory.hasContent = true
      return
    }
  }
}
