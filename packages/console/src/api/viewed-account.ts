import { useSyncExternalStore } from 'react'
import { storedText } from '../browser-storage.ts'

const kept = storedText('tab', 'gatepost-viewed-account')
const listeners = new Set<() => void>()

/** Returns the account whose channels staff are viewing in this tab; `null` for their own. */
export const viewedAccount = (): string | null => kept.get()

/** Switches to another account's channels, or with `null` back to one's own. */
export function viewAccount(accountId: string | null): void {
  kept.set(accountId)
  for (const changed of listeners) changed()
}

/** Returns `viewedAccount()` and rerenders when it changes. */
export const useViewedAccount = (): string | null => useSyncExternalStore(subscribe, viewedAccount)

function subscribe(changed: () => void): () => void {
  listeners.add(changed)
  return () => listeners.delete(changed)
}
