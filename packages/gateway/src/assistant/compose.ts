import { randomUUID } from 'node:crypto'
import type { HostedAuth } from '@gatepost/auth'
import {
  type Assistant,
  AssistantError,
  type AssistantPiece,
  type AssistantSettings,
  type AssistantSettingsInput,
  type AssistantTurn,
  type Clock,
  createAssistant,
  type Log,
} from '@gatepost/channels'
import type { Database } from '@gatepost/sql'
import type { GatewayTables } from '../accounts/schema.ts'
import { GatewayError } from '../server/errors.ts'
import type { AssistantDesk, AssistantChange, AssistantView, TryEvent, TrialResult } from './assistant-desk.ts'
import { type AssistantKeeper, createAssistantKeeper, type KeptAssistant } from './assistant-keeper.ts'
import {
  applyAssistantChange,
  mergeAssistant,
  resolveKind,
  resolveAssistant,
  toAssistantView,
} from './assistant-settings.ts'

/** Options of `composeAssistant`. */
interface AssistantParts {
  readonly database: Database<GatewayTables>
  readonly sealer: HostedAuth['kernel']['sealer']
  /** Settings from environment variables. */
  readonly env: AssistantSettingsInput
  /** Assistant to use regardless of the settings, or `null`. */
  readonly fixed: Assistant | null
  readonly fetch: typeof fetch
  readonly clock: Clock
  readonly log: Log
  /** Environment of a `command` assistant. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Creates the assistant and the service that changes it. */
export function composeAssistant(parts: AssistantParts): {
  readonly assistant: Assistant
  readonly desk: AssistantDesk
} {
  const { env, fixed, clock } = parts
  const keeper = createAssistantKeeper(parts)
  const make = (settings: Parameters<typeof createAssistant>[0]): Assistant => createAssistant(settings, parts)
  return {
    assistant: fixed ?? liveAssistant(keeper, env, make),
    desk: createAssistantDesk({ keeper, env, make, fixed, clock, newId: randomUUID }),
  }
}

/** Creates an assistant from settings. */
type MakeAssistant = (settings: AssistantSettings) => Assistant

/** Returns an assistant that reads the current settings at each turn, so that changes apply on every node at once. */
export function liveAssistant(
  keeper: Pick<AssistantKeeper, 'read'>,
  env: AssistantSettingsInput,
  make: MakeAssistant,
): Assistant {
  let known: { readonly kept: KeptAssistant; readonly assistant: Assistant } | null = null
  const current = async (): Promise<Assistant> => {
    const kept = await keeper.read(known?.kept)
    if (known === null || kept.version !== known.kept.version) {
      known = { kept, assistant: make(resolveAssistant(mergeAssistant(env, kept.stored))) }
    }
    return known.assistant
  }
  return { reply: (turn, signal) => streamReply(current, turn, signal) }
}

async function* streamReply(
  current: () => Promise<Assistant>,
  turn: AssistantTurn,
  signal: AbortSignal,
): AsyncGenerator<AssistantPiece> {
  let assistant: Assistant
  try {
    assistant = await current()
  } catch (cause) {
    if (cause instanceof GatewayError) throw new AssistantError('misconfigured', cause.message, { cause })
    throw new AssistantError('unreachable', "Couldn't read the assistant's settings.", { cause })
  }
  yield* assistant.reply(turn, signal)
}

/** Dependencies of the assistant's settings service. */
interface DeskParts {
  readonly keeper: AssistantKeeper
  /** Settings from environment variables. */
  readonly env: AssistantSettingsInput
  readonly make: MakeAssistant
  /** Assistant to use regardless of the settings, or `null`. */
  readonly fixed: Assistant | null
  readonly clock: Clock
  readonly newId: () => string
}

/** @see AssistantDesk */
function createAssistantDesk(parts: DeskParts): AssistantDesk {
  const { keeper, env } = parts
  const view = async (): Promise<AssistantView> => {
    const { stored, changedAtMs } = await keeper.read()
    return toAssistantView(env, stored, changedAtMs)
  }
  return {
    view,
    async kind() {
      try {
        return resolveKind(mergeAssistant(env, (await keeper.read()).stored))
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error
        return resolveKind(env)
      }
    },
    async change(change) {
      const { stored, changedAtMs } = await keeper.change((before) => applyAssistantChange(env, before, change))
      return toAssistantView(env, stored, changedAtMs)
    },
    async reset() {
      await keeper.reset()
      return view()
    },
    async ask(message, settings, signal) {
      let text = ''
      for await (const event of streamTryEvents(parts, await triedAssistant(parts, settings), message, signal)) {
        if (event.type === 'text') text += event.text
        else if (event.type === 'done') return { text, ...toTrialResult(event) }
        else if (event.type === 'failed') throw toTryError(event)
      }
      throw new GatewayError('stopping')
    },
    async stream(message, settings, signal) {
      return streamTryEvents(parts, await triedAssistant(parts, settings), message, signal)
    },
  }
}

const toTrialResult = ({ files, first_piece_ms, took_ms }: TrialResult): TrialResult => ({
  files,
  first_piece_ms,
  took_ms,
})

const toTryError = ({ error, reason }: Extract<TryEvent, { type: 'failed' }>): GatewayError =>
  new GatewayError('assistant_failed', { message: error, details: { reason } })

async function triedAssistant(parts: DeskParts, settings: AssistantChange): Promise<Assistant> {
  const { keeper, env, make, fixed } = parts
  const isChanged = Object.values(settings).some((value) => value !== undefined)
  if (fixed !== null && !isChanged) return fixed
  const { stored } = await keeper.read()
  const counts = isChanged ? applyAssistantChange(env, stored, settings) : stored
  return make(resolveAssistant(mergeAssistant(env, counts)))
}

/** Streams a test reply. Ends without a final event if `signal` aborts. */
async function* streamTryEvents(
  { clock, newId }: DeskParts,
  assistant: Assistant,
  message: string,
  signal: AbortSignal,
): AsyncGenerator<TryEvent> {
  const startMs = clock.now()
  let firstPieceMs: number | null = null
  let files = 0
  try {
    for await (const piece of assistant.reply(createTurn(newId(), message, startMs), signal)) {
      firstPieceMs ??= clock.now() - startMs
      if (piece.type === 'text') yield { type: 'text', text: piece.text }
      else {
        files += 1
        yield { type: 'file', name: piece.name, mime: piece.mime, bytes: piece.bytes.byteLength }
      }
    }
  } catch (error) {
    if (signal.aborted) return
    if (!(error instanceof AssistantError)) throw error
    yield { type: 'failed', code: 'assistant_failed', reason: error.code, error: error.message }
    return
  }
  const tookMs = clock.now() - startMs
  yield { type: 'done', files, first_piece_ms: firstPieceMs ?? tookMs, took_ms: tookMs }
}

const createTurn = (id: string, text: string, atMs: number): AssistantTurn => ({
  id,
  conversationId: id,
  platform: 'console',
  chat: { kind: 'direct' },
  messages: [{ role: 'user', text, atMs, files: [] }],
})
