import { type ReactNode, useEffect } from 'react'
import { Panes } from './panes.tsx'
import { conversationTexts } from './texts.ts'
import { useTexts } from '../../language/texts.ts'

/** Who has talked with the bots. */
export function Page(): ReactNode {
  const { title } = useTexts(conversationTexts)
  useEffect(() => {
    document.title = `${title} · Gatepost`
  }, [title])
  return <Panes selected={null} />
}
