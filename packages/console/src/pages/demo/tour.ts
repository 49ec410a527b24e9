import type { Chat, LiveDemo } from './live-demo.ts'

/** The steps of the tour, in order. */
export const STEPS = ['connect', 'say', 'stream', 'cut', 'back'] as const
/** A step of the tour. */
export type TourStep = (typeof STEPS)[number]

/** Progress of the tour. */
export interface TourProgress {
  readonly done: readonly TourStep[]
  /** The platform on which a message was sent while the network was cut. */
  readonly cutOn: string | null
}

/** Progress at the start. */
export const NO_PROGRESS: TourProgress = { done: [], cutOn: null }

/**
 * Returns the progress after a change of the demo. Completed steps stay completed.
 * @param platforms The number of platforms.
 */
export function advanceTour(progress: TourProgress, live: LiveDemo, platforms: number): TourProgress {
  const panes = Object.values(live.panes).filter((pane) => pane !== undefined)
  const chats = Object.entries(live.chats).flatMap(([key, chat]) =>
    chat === undefined ? [] : [{ platform: key.slice(0, key.indexOf('/')), chat }],
  )
  const isCut = (platform: string): boolean =>
    live.panes[platform]?.faults.some((fault) => fault.switch === 'cut') === true
  const cutOn =
    progress.cutOn ?? chats.find(({ platform, chat }) => isCut(platform) && isWaiting(chat))?.platform ?? null
  const seen: Readonly<Record<TourStep, boolean>> = {
    connect:
      panes.some(({ code }) => code === 'scanned') ||
      (panes.length === platforms && panes.every(({ connected }) => connected)),
    say: chats.some(({ chat }) => chat.lines.some(({ by }) => by === 'person')),
    stream: chats.some(({ chat }) => chat.hasGrown),
    cut: cutOn !== null,
    back: cutOn !== null && !isCut(cutOn) && chats.some(({ platform, chat }) => platform === cutOn && isAnswered(chat)),
  }
  const done = STEPS.filter((step) => progress.done.includes(step) || seen[step])
  return done.length === progress.done.length && cutOn === progress.cutOn ? progress : { done, cutOn }
}

const isWaiting = ({ lines }: Chat): boolean => lines.at(-1)?.by === 'person'
const isAnswered = ({ lines }: Chat): boolean => lines.at(-1)?.by === 'bot'
