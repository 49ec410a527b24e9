import type { AssistantKeeper, KeptAssistant } from './assistant-keeper.ts'
import { joinedAssistant, resolvedAssistant } from './assistant-settings.ts'
import { GatewayError } from '../server/errors.ts'
import {
  type Assistant,
  AssistantError,
  type AssistantPiece,
  type AssistantSettings,
  type AssistantSettingsInput,
  type AssistantTurn,
} from '@gatepost/channels'

/** What makes an assistant of settings. */
export type MakeAssistant = (settings: AssistantSettings) => Assistant

/** The assistant of what counts when a turn begins: a change counts at once, on every node. */
export function liveAssistant(
  keeper: Pick<AssistantKeeper, 'read'>,
  env: AssistantSettingsInput,
  make: MakeAssistant,
): Assistant {
  let known: { readonly kept: KeptAssistant; readonly assistant: Assistant } | null = null
  const current = async (): Promise<Assistant> => {
    const kept = await keeper.read(known?.kept)
    if (known === null || kept.version !== known.kept.version) {
      known = { kept, assistant: make(resolvedAssistant(joinedAssistant(env, kept.stored))) }
    }
    return known.assistant
  }
  return { reply: (turn, signal) => replyOf(current, turn, signal) }
}

async function* replyOf(
  current: () => Promise<Assistant>,
  turn: AssistantTurn,
  signal: AbortSignal,
): AsyncGenerator<AssistantPiece> {
  let assistant: Assistant
  try {
    assistant = await current()
  } catch (cause) {
    if (cause instanceof GatewayError) throw new AssistantError('misconfigured', cause.message, { cause })
    throw new AssistantError('unreachable', 'The settings of the assistant could not be read.', { cause })
  }
  yield* assistant.reply(turn, signal)
}
