import { useSyncExternalStore } from 'react'
import { keptText } from '../browser-storage.ts'

const kept = keptText('tab', 'gatepost-viewed-account')
const listeners = new Set<() => void>()

/** The account whose channels staff look at in this tab; `null`: their own. */
export const viewedAccount = (): string | null => kept.get()

/** Staff look at the channels of another account, or with `null` at their own again. */
export function viewAccount(accountId: string | null): void {
  kept.set(accountId)
  for (const changed of listeners) changed()
}

/** `viewedAccount`, kept up to date. */
export const useViewedAccount = (): string | null => useSyncExternalStore(subscribe, viewedAccount)

function subscribe(changed: () => void): () => void {
  listeners.add(changed)
  return () => listeners.delete(changed)
}
