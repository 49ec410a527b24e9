import type { AssistantChange, AssistantDesk, AssistantView, TryEvent, TryFigures } from './assistant-desk.ts'
import type { AssistantKeeper } from './assistant-keeper.ts'
import { changedAssistant, joinedAssistant, kindOf, resolvedAssistant, shownAssistant } from './assistant-settings.ts'
import type { MakeAssistant } from './live-assistant.ts'
import { GatewayError } from '../server/errors.ts'
import {
  type Assistant,
  AssistantError,
  type AssistantSettingsInput,
  type AssistantTurn,
  type Clock,
} from '@gatepost/channels'

/** What the desk works with. */
export interface DeskParts {
  readonly keeper: AssistantKeeper
  /** What the environment says. */
  readonly env: AssistantSettingsInput
  readonly make: MakeAssistant
  /** Who answers in any case, as the host has it; `null`: whoever the settings name. */
  readonly fixed: Assistant | null
  readonly clock: Clock
  readonly newId: () => string
}

/** @see AssistantDesk */
export function createAssistantDesk(parts: DeskParts): AssistantDesk {
  const { keeper, env } = parts
  const view = async (): Promise<AssistantView> => {
    const { stored, changedAtMs } = await keeper.read()
    return shownAssistant(env, stored, changedAtMs)
  }
  return {
    view,
    async kind() {
      try {
        return kindOf(joinedAssistant(env, (await keeper.read()).stored))
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error
        return kindOf(env)
      }
    },
    async change(change) {
      const { stored, changedAtMs } = await keeper.change((before) => changedAssistant(env, before, change))
      return shownAssistant(env, stored, changedAtMs)
    },
    async reset() {
      await keeper.reset()
      return view()
    },
    async ask(message, settings, signal) {
      let text = ''
      for await (const event of eventsOf(parts, await triedAssistant(parts, settings), message, signal)) {
        if (event.type === 'text') text += event.text
        else if (event.type === 'done') return { text, ...figuresOf(event) }
        else if (event.type === 'failed') throw failed(event)
      }
      throw new GatewayError('stopping')
    },
    async stream(message, settings, signal) {
      return eventsOf(parts, await triedAssistant(parts, settings), message, signal)
    },
  }
}

const figuresOf = ({ files, first_piece_ms, took_ms }: TryFigures): TryFigures => ({ files, first_piece_ms, took_ms })

const failed = ({ error, reason }: Extract<TryEvent, { type: 'failed' }>): GatewayError =>
  new GatewayError('assistant_failed', { message: error, details: { reason } })

async function triedAssistant(parts: DeskParts, settings: AssistantChange): Promise<Assistant> {
  const { keeper, env, make, fixed } = parts
  const isChanged = Object.values(settings).some((value) => value !== undefined)
  if (fixed !== null && !isChanged) return fixed
  const { stored } = await keeper.read()
  const counts = isChanged ? changedAssistant(env, stored, settings) : stored
  return make(resolvedAssistant(joinedAssistant(env, counts)))
}

/** Ends without a last event when `signal` aborts. */
async function* eventsOf(
  { clock, newId }: DeskParts,
  assistant: Assistant,
  message: string,
  signal: AbortSignal,
): AsyncGenerator<TryEvent> {
  const startMs = clock.now()
  let firstPieceMs: number | null = null
  let files = 0
  try {
    for await (const piece of assistant.reply(turnOf(newId(), message, startMs), signal)) {
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

const turnOf = (id: string, text: string, atMs: number): AssistantTurn => ({
  id,
  conversationId: id,
  platform: 'console',
  chat: { kind: 'direct' },
  messages: [{ role: 'user', text, atMs, files: [] }],
})
