import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { failedTexts } from './texts.ts'
import { STALE_AFTER_RETRY } from '../said/dead-acts.tsx'
import { type Result, sendToAll } from '../send/broadcast.ts'
import type { AddressedDelivery } from '../../../api/gateway-api.ts'
import { call } from '../../../api/call.ts'
import { refresh } from '../../../api/queries.ts'
import { useTexts } from '../../../language/texts.ts'
import { notify, notifyFailure } from '../../../parts/toast.tsx'

/** Actions on several failed messages. */
export type BulkAction = 'again' | 'dismiss'

const BULK_OPERATIONS = { again: 'resendDelivery', dismiss: 'dismissDelivery' } as const

/**
 * Retries or dismisses several failed messages, four at a time, and notifies of the result. Stops when the page is
 * left.
 */
export function useBulkActions() {
  const client = useQueryClient()
  const texts = useTexts(failedTexts)
  const [progress, setProgress] = useState<{ readonly done: number; readonly all: number } | null>(null)
  const ending = useRef<AbortController>(null)
  useEffect(() => () => ending.current?.abort(), [])
  const act = async (what: BulkAction, deliveries: readonly AddressedDelivery[]): Promise<void> => {
    if (ending.current !== null) return
    ending.current = new AbortController()
    const counts: Record<Result['state'], number> = {
      waiting: 0,
      sending: 0,
      sent: 0,
      pending: 0,
      unknown: 0,
      failed: 0,
    }
    const all = deliveries.length
    setProgress({ done: 0, all })
    await sendToAll(
      deliveries.toReversed(), // in their original order
      async ({ platform, id }) => void (await call(BULK_OPERATIONS[what], { params: { platform, id } })),
      (_delivery, { state }) => {
        counts[state] += 1
        setProgress({ done: counts.sent + counts.pending + counts.unknown + counts.failed, all })
      },
      ending.current.signal,
    )
    ending.current = null
    setProgress(null)
    const failed = counts.failed + counts.unknown
    if (counts.sent > 0) notify(what === 'again' ? texts.outcomeSent(counts.sent) : texts.outcomeLeft(counts.sent))
    if (counts.pending > 0) notify(texts.outcomePending(counts.pending))
    if (failed > 0) notifyFailure(what === 'again' ? texts.outcomeFailed(failed) : texts.actFailed(failed))
    await refresh(client, ...STALE_AFTER_RETRY)
  }
  return { progress, act: (what: BulkAction, deliveries: readonly AddressedDelivery[]) => void act(what, deliveries) }
}
