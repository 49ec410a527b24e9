import type { ReactNode } from 'react'
import style from './staff.module.css'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { DialogActions } from '../../parts/dialog.tsx'

/** A text that is in one answer and nowhere else, to be copied now. */
export const ShownOnce = ({
  secret,
  copyLabel,
  done,
  onDone,
  children,
}: {
  readonly secret: string
  readonly copyLabel: string
  readonly done: string
  onDone(): void
  readonly children?: ReactNode
}): ReactNode => (
  <>
    <div className={style['once']}>
      <code className={style['secret']}>{secret}</code>
      <div>
        <Copy text={secret} label={copyLabel} />
      </div>
      {children}
    </div>
    <DialogActions>
      <Button kind="primary" onClick={onDone}>
        {done}
      </Button>
    </DialogActions>
  </>
)
