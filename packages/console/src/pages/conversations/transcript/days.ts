import type { TranscriptItem } from '../../../api/gateway-api.ts'

/** Something that was said, with what makes it one of a row. */
export interface Said {
  readonly item: TranscriptItem
  readonly id: string
  /** When it took its place, milliseconds since the Unix epoch. */
  readonly at: number
  /** The first of its day. */
  readonly startsDay: boolean
  /** By the same as what stands before it, soon after. */
  readonly follows: boolean
}

/** Between messages of one side that belong together. */
const SOON_MS = 3 * 60_000

/**
 * What a transcript shows, oldest first.
 * @param newestFirst As the service answers it, page after page; an item that moved between pages may come twice.
 * @param dayOf Names the day of a time, in the zone of the viewer.
 */
export function saidInOrder(newestFirst: readonly TranscriptItem[], dayOf: (ms: number) => string): readonly Said[] {
  const seen = new Set<string>()
  const placed: { readonly item: TranscriptItem; readonly id: string; readonly at: number }[] = []
  let notAfter = Number.POSITIVE_INFINITY
  for (const item of newestFirst) {
    if (!isKnown(item)) continue
    const id = idOf(item)
    if (seen.has(id)) continue
    seen.add(id)
    // what was sent again is younger than its place
    notAfter = Math.min(notAfter, timeOf(item))
    placed.push({ item, id, at: notAfter })
  }
  return placed.toReversed().map((one, index, all) => {
    const before = all[index - 1]
    const startsDay = before === undefined || dayOf(before.at) !== dayOf(one.at)
    const follows = !startsDay && speakerOf(before.item) === speakerOf(one.item) && one.at - before.at <= SOON_MS
    return { ...one, startsDay, follows }
  })
}

/** A newer service may tell of things that this page cannot show. */
const isKnown = ({ type }: { readonly type: string }): boolean => type === 'message' || type === 'delivery'

const idOf = (item: TranscriptItem): string =>
  item.type === 'message' ? `m ${item.message.id}` : `d ${item.delivery.id}`

const timeOf = (item: TranscriptItem): number =>
  item.type === 'message' ? item.message.received_at : item.delivery.created_at

const speakerOf = (item: TranscriptItem): string =>
  item.type === 'message' ? `p ${item.message.from.user_id}` : `b ${item.delivery.kind}`
