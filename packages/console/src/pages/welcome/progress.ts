import type { Answer } from '../../api/client.ts'
import { useCall } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { isPlatform, type Platform } from '../../parts/platform.tsx'

/** The steps after creating the account. */
export const STEPS = ['channel', 'assistant', 'message'] as const
/** The name of a setup step. */
export type StepName = (typeof STEPS)[number]

/** Reports whether an assistant was chosen here or in the environment. */
const isAssistantChosen = ({ kind, changed_at: changedAt, from_environment: fixed }: Answer<'getAssistant'>): boolean =>
  kind !== 'echo' || changedAt !== null || fixed.includes('kind')

/** The completed steps, derived from the state of the service. */
export interface Progress {
  readonly done: Readonly<Record<StepName, boolean>>
  readonly connected: readonly Platform[]
}

interface LoadableProgress {
  readonly data: Progress | undefined
  readonly error: unknown
  refetch(): void
}

/** Returns the progress of this account. */
export function useProgress(): LoadableProgress {
  const { isStaff } = useSession()
  const channels = useCall('listChannels', {})
  const assistant = useCall('getAssistant', {}, { when: isStaff })
  const conversations = useCall('listConversations', { query: { limit: 1 } })
  const all = [channels, assistant, conversations]
  const connected = channels.data?.channels.flatMap(({ platform, has_config: has }) =>
    has && isPlatform(platform) ? [platform] : [],
  )
  const isKnown =
    connected !== undefined && conversations.data !== undefined && (!isStaff || assistant.data !== undefined)
  return {
    data: isKnown
      ? {
          connected,
          done: {
            channel: connected.length > 0,
            assistant: assistant.data === undefined || isAssistantChosen(assistant.data),
            message: conversations.data.items.length > 0,
          },
        }
      : undefined,
    error: all.find(({ error }) => error !== null)?.error ?? null,
    refetch: () => all.forEach((one) => void (one.error !== null && one.refetch())),
  }
}
