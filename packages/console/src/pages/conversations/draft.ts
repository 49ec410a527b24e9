import { useState } from 'react'
import { useSession } from '../../api/session.ts'
import { storedText } from '../../browser-storage.ts'

/**
 * Returns a draft that survives reloads and signing in again in this tab.
 * @param of Identifies what the draft is for.
 */
export function useDraft(of: string): readonly [text: string, change: (text: string) => void] {
  const { me } = useSession()
  const kept = storedText('tab', `gatepost-draft ${me.user?.id ?? me.account} ${of}`)
  const [text, setText] = useState(() => kept.get() ?? '')
  return [
    text,
    (next) => {
      setText(next)
      kept.set(next === '' ? null : next)
    },
  ]
}
