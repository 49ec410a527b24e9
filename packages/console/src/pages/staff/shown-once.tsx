import type { ReactNode } from 'react'
import style from './staff.module.css'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { DialogActions } from '../../parts/dialog.tsx'

/** Shows a secret that can't be retrieved again. */
export const OneTimeSecret = ({
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
        <CopyButton text={secret} label={copyLabel} />
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
