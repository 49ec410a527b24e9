import { type ReactNode, useEffect, useRef } from 'react'
import style from './security.module.css'
import { securityTexts } from './texts.ts'
import frame from '../account.module.css'
import { accountTexts } from '../texts.ts'
import { useSession } from '../../../api/session.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { CopyButton } from '../../../parts/copy.tsx'
import { Row } from '../../../parts/layout.tsx'

/** Shows recovery codes to copy, download or print. Only this part of the page is printed. */
export function CodeSheet({ codes, onClose }: { readonly codes: readonly string[]; onClose(): void }): ReactNode {
  const texts = useTexts(securityTexts)
  const common = useTexts(accountTexts)
  const { me } = useSession()
  const head = useRef<HTMLHeadingElement>(null)
  useEffect(() => head.current?.focus(), [])
  const text = `${texts.fileHead(me.user?.email ?? me.account)}\n\n${codes.join('\n')}\n`
  return (
    <div className={frame['panel']}>
      <div className={style['sheet']}>
        <h3 ref={head} tabIndex={-1}>
          {texts.shown}
        </h3>
        <ul className={style['codes']} aria-label={texts.shown}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      </div>
      <Row>
        <CopyButton text={text} label={texts.copyCodes} />
        <Button small onClick={() => saveTextFile(text, texts.file)}>
          {texts.download}
        </Button>
        <Button small onClick={() => globalThis.print()}>
          {texts.print}
        </Button>
        <Button small kind="primary" onClick={onClose}>
          {common.done}
        </Button>
      </Row>
    </div>
  )
}

/** Downloads a text as a file. */
function saveTextFile(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  URL.revokeObjectURL(url)
}
