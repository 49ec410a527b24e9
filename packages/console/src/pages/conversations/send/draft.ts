import { useState } from 'react'
import { useSession } from '../../../api/session.ts'

/**
 * A text that is being written: it outlives a reload, and a sign-in in between, in this tab.
 * @param of Names what it is for.
 */
export function useDraft(of: string): readonly [text: string, change: (text: string) => void] {
  const { me } = useSession()
  const key = `gatepost-draft ${me.user?.id ?? me.account} ${of}`
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '')
  return [
    text,
    (next) => {
      setText(next)
      if (next === '') sessionStorage.removeItem(key)
      else keep(key, next)
    },
  ]
}

/** A tab without room for it keeps the text on the page alone. */
function keep(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text)
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
  }
}
