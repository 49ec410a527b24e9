import { type ReactNode, useEffect, useRef } from 'react'
import { programTexts } from './texts.ts'
import style from '../account.module.css'
import { accountTexts } from '../texts.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { Copy } from '../../../parts/copy.tsx'
import { Row } from '../../../parts/layout.tsx'

/** The text of a new token, the one time that it is shown. */
export function NewTokenPanel({
  name,
  token,
  onClose,
}: {
  readonly name: string
  readonly token: string
  onClose(): void
}): ReactNode {
  const texts = useTexts(programTexts)
  const common = useTexts(accountTexts)
  const head = useRef<HTMLHeadingElement>(null)
  useEffect(() => head.current?.focus(), [])
  return (
    <div className={style['panel']}>
      <h3 ref={head} tabIndex={-1}>
        {texts.shown(name)}
      </h3>
      <p className={style['soft']}>{texts.shownLead}</p>
      <p>
        <code aria-label={texts.token}>{token}</code>
      </p>
      <Row>
        <Copy text={token} label={texts.copy} />
        <Button small onClick={onClose}>
          {common.done}
        </Button>
      </Row>
    </div>
  )
}
