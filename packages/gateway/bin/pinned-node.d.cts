declare const pinned: {
  /** Whether `version` (`26.10.0`) is a Node that this project runs on. */
  isRightVersion(version: string): boolean
  /** `Node 26.10 or a later 26.x` */
  readonly WANTED: string
}
export = pinned
