import type { GatewayTables } from '../accounts/tables.ts'
import type { AssistantDesk } from './assistant-desk.ts'
import { createAssistantDesk } from './create-desk.ts'
import { createAssistantKeeper } from './assistant-keeper.ts'
import { liveAssistant } from './live-assistant.ts'
import type { Core } from '@gatepost/auth'
import { type Assistant, type AssistantSettingsInput, type Clock, createAssistant, type Log } from '@gatepost/channels'
import type { Database } from '@gatepost/sql'
import { randomUUID } from 'node:crypto'

/** What the assistant of the service is made from. */
export interface AssistantParts {
  readonly database: Database<GatewayTables>
  readonly sealer: Core['sealer']
  /** What the environment says of it. */
  readonly env: AssistantSettingsInput
  /** Who answers in any case; `null`: whoever the settings name. */
  readonly fixed: Assistant | null
  readonly fetch: typeof fetch
  readonly clock: Clock
  readonly log: Log
  /** What a program finds in its environment. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Who answers, and where staff change that. */
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
