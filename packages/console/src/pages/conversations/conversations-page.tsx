import type { ReactNode } from 'react'
import { Panes } from './panes.tsx'
import { conversationTexts } from './texts.ts'
import { useTexts } from '../../language/texts.ts'
import { useWindowTitle } from '../../parts/window-title.ts'

/** The page of all conversations. */
export function Page(): ReactNode {
  const { title } = useTexts(conversationTexts)
  useWindowTitle(title)
  return <Panes selected={null} />
}
