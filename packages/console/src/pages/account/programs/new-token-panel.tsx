import { type ReactNode, useEffect, useRef } from 'react'
import { tokenTexts } from './texts.ts'
import style from '../account.module.css'
import { accountTexts } from '../texts.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { CopyButton } from '../../../parts/copy.tsx'
import { Row } from '../../../parts/layout.tsx'

/** Shows a new token once. */
export function NewTokenPanel({
  name,
  token,
  onClose,
}: {
  readonly name: string
  readonly token: string
  onClose(): void
}): ReactNode {
  const texts = useTexts(tokenTexts)
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
        <CopyButton text={token} label={texts.copy} />
        <Button small onClick={onClose}>
          {common.done}
        </Button>
      </Row>
    </div>
  )
}
