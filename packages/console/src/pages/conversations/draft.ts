import { useState } from 'react'
import { useSession } from '../../api/session.ts'
import { storedText } from '../../browser-storage.ts'

/**
 * Returns a draft that survives reloads and signing in again in this tab.
 * @param key Distinguishes drafts.
 */
export function useDraft(key: string): readonly [text: string, change: (text: string) => void] {
  const { me } = useSession()
  const stored = storedText('tab', `gatepost-draft ${me.user?.id ?? me.account} ${key}`)
  const [text, setText] = useState(() => stored.get() ?? '')
  return [
    text,
    (next) => {
      setText(next)
      stored.set(next === '' ? null : next)
    },
  ]
}
