import { type ReactNode, useEffect, useState } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { partTexts } from './texts.ts'
import { useTexts } from '../language/texts.ts'

const SHOWN_MS = 2_000

/** A button that copies a text. `describe` distinguishes several on a page. */
export function CopyButton({
  text,
  label,
  describe,
}: {
  readonly text: string
  readonly label?: string
  readonly describe?: string
}): ReactNode {
  const texts = useTexts(partTexts)
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <Button small onClick={() => void copyText(text).then(setCopied)}>
      <Icon name={copied ? 'check' : 'copy'} size={16} />
      <span aria-live="polite">
        {copied ? texts.copied : (label ?? texts.copy)}
        {!copied && describe !== undefined && <span className="visually-hidden"> ({describe})</span>}
      </span>
    </Button>
  )
}

/** Copies a text, with a fallback for pages without TLS, which have no clipboard API. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const area = document.createElement('textarea')
    area.value = text
    document.body.append(area)
    area.select()
    // oxlint-disable-next-line typescript/no-deprecated -- the only way without TLS
    const copied = document.execCommand('copy')
    area.remove()
    return copied
  }
}
