import type { Answer } from '../../../api/call.ts'

/** A setup as the service returns it. */
export type Setup = Answer<'startSetup'>
/** How a platform is set up. */
export type SetupKind = Setup['kind']

/** A method of setting up a platform. */
export type SetupMethod = Answer<'listSetupWays'>['ways'][number]

/** The progress of a setup. */
export type SetupProgress =
  | { readonly stage: 'starting' }
  /** It couldn't start, or the service no longer knows it. */
  | { readonly stage: 'broken'; readonly error: unknown }
  | {
      readonly stage: 'going'
      readonly setup: Setup
      /** The fields requested last, also while the values are being checked. */
      readonly asked: Setup['fields']
      /** How often values were requested: above 1, the previous ones were rejected. */
      readonly asks: number
    }

export type SetupNews = { readonly setup: Setup } | { readonly error: unknown }

/** Returns the progress after an update. Pure. Outdated updates are ignored. */
export function advanceSetup(run: SetupProgress, news: SetupNews): SetupProgress {
  if ('error' in news)
    return run.stage === 'going' && hasEnded(run.setup) ? run : { stage: 'broken', error: news.error }
  const { setup } = news
  const before = run.stage === 'going' && run.setup.id === setup.id ? run : null
  if (before !== null && before.setup.version >= setup.version) return run
  const isAsking = setup.state === 'input_needed'
  const isNew = isAsking && before?.setup.state !== 'input_needed'
  return {
    stage: 'going',
    setup,
    asked: isAsking ? setup.fields : (before?.asked ?? []),
    asks: (before?.asks ?? 0) + (isNew ? 1 : 0),
  }
}

/** Reports whether a setup has ended. */
export const hasEnded = ({ state }: Setup): boolean => state === 'done' || state === 'failed'
