import type { Answer } from '../../../api/call.ts'

/** A guided set-up as the service tells of it. */
export type Setup = Answer<'startSetup'>
/** How a platform is set up. */
export type SetupKind = Setup['kind']

/** A way in which a platform can be set up. */
export type Way = Answer<'listSetupWays'>['ways'][number]

/** How far the page is with a set-up. */
export type Run =
  | { readonly stage: 'starting' }
  /** It could not be begun, or the service does not know it any more. */
  | { readonly stage: 'broken'; readonly error: unknown }
  | {
      readonly stage: 'going'
      readonly setup: Setup
      /** What was asked for last, also while the answer is being checked. */
      readonly asked: Setup['fields']
      /** How often it has asked: above 1, the answer before was not taken. */
      readonly asks: number
    }

/** An update of a setup, or the error of reading it. */
export type News = { readonly setup: Setup } | { readonly error: unknown }

/** Pure: news that is older than what is known changes nothing. */
export function advance(run: Run, news: News): Run {
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

/** Nothing more will happen. */
export const hasEnded = ({ state }: Setup): boolean => state === 'done' || state === 'failed'
