import { useState } from 'react'
import { useSession } from '../../../api/session.ts'
import { keptText } from '../../../browser-storage.ts'

/**
 * A text that is being written: it outlives a reload, and a sign-in in between, in this tab.
 * @param of Names what it is for.
 */
export function useDraft(of: string): readonly [text: string, change: (text: string) => void] {
  const { me } = useSession()
  const kept = keptText('tab', `gatepost-draft ${me.user?.id ?? me.account} ${of}`)
  const [text, setText] = useState(() => kept.get() ?? '')
  return [
    text,
    (next) => {
      setText(next)
      kept.set(next === '' ? null : next)
    },
  ]
}
