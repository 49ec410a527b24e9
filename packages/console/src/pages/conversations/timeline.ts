import type { TranscriptItem } from '../../api/gateway-api.ts'

/** A message in the timeline. */
export interface TimelineItem {
  readonly item: TranscriptItem
  readonly id: string
  /** Its time in the timeline, ms since the Unix epoch. */
  readonly at: number
  /** The first of its day. */
  readonly startsDay: boolean
  /** From the same sender as the previous one, shortly after it. */
  readonly follows: boolean
}

/** Longest gap between messages that are grouped. */
const SOON_MS = 3 * 60_000

/**
 * Builds the timeline of a transcript, oldest first.
 * @param newestFirst Items as returned by the service, page by page; one that moved between pages may occur twice.
 * @param formatDay Formats the day of a time in the viewer's time zone.
 */
export function buildTimeline(
  newestFirst: readonly TranscriptItem[],
  formatDay: (ms: number) => string,
): readonly TimelineItem[] {
  const seen = new Set<string>()
  const placed: { readonly item: TranscriptItem; readonly id: string; readonly at: number }[] = []
  let notAfter = Number.POSITIVE_INFINITY
  for (const item of newestFirst) {
    if (!isKnown(item)) continue
    const id = itemId(item)
    if (seen.has(id)) continue
    seen.add(id)
    // a retried message is newer than its position
    notAfter = Math.min(notAfter, itemTime(item))
    placed.push({ item, id, at: notAfter })
  }
  return placed.toReversed().map((one, index, all) => {
    const before = all[index - 1]
    const startsDay = before === undefined || formatDay(before.at) !== formatDay(one.at)
    const follows = !startsDay && itemSpeaker(before.item) === itemSpeaker(one.item) && one.at - before.at <= SOON_MS
    return { ...one, startsDay, follows }
  })
}

/** Reports whether this page can show an item; newer services may return others. */
const isKnown = ({ type }: { readonly type: string }): boolean => type === 'message' || type === 'delivery'

const itemId = (item: TranscriptItem): string =>
  item.type === 'message' ? `m ${item.message.id}` : `d ${item.delivery.id}`

const itemTime = (item: TranscriptItem): number =>
  item.type === 'message' ? item.message.received_at : item.delivery.created_at

const itemSpeaker = (item: TranscriptItem): string =>
  item.type === 'message' ? `p ${item.message.from.user_id}` : `b ${item.delivery.kind}`
