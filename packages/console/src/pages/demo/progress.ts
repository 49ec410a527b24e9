import type { Chat, LiveDemo } from './live-demo.ts'

/** What a visitor is led through, in this order. */
export const STEPS = ['connect', 'say', 'stream', 'cut', 'back'] as const
/** A step of the guide. */
export type Step = (typeof STEPS)[number]

/** How far a visitor has come. */
export interface Progress {
  readonly done: readonly Step[]
  /** Where something was said while the network was cut. */
  readonly cutOn: string | null
}

/** At the beginning. */
export const NO_PROGRESS: Progress = { done: [], cutOn: null }

/**
 * How far it is after a look at the demo. Nothing is ever undone.
 * @param platforms How many there are.
 */
export function advance(progress: Progress, live: LiveDemo, platforms: number): Progress {
  const panes = Object.values(live.panes).filter((pane) => pane !== undefined)
  const chats = Object.entries(live.chats).flatMap(([key, chat]) =>
    chat === undefined ? [] : [{ platform: key.slice(0, key.indexOf('/')), chat }],
  )
  const isCut = (platform: string): boolean =>
    live.panes[platform]?.faults.some((fault) => fault.switch === 'cut') === true
  const cutOn =
    progress.cutOn ?? chats.find(({ platform, chat }) => isCut(platform) && isWaiting(chat))?.platform ?? null
  const seen: Readonly<Record<Step, boolean>> = {
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
