import { describePlatform } from '../../platform.contract.ts'
import { feishuHarness } from './feishu.contract.ts'

describePlatform('feishu', feishuHarness)
