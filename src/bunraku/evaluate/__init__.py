"""Quality of a robot's motion against the human motion that it came from: metrics, and the report that holds them."""

from bunraku.evaluate.metric import Metric as Metric
from bunraku.evaluate.report import METRICS as METRICS
from bunraku.evaluate.report import Evaluation as Evaluation
from bunraku.evaluate.report import evaluate as evaluate
from bunraku.evaluate.similarity import Similarity as Similarity
from bunraku.evaluate.similarity import dtw as dtw
from bunraku.evaluate.similarity import trajectory_similarity as trajectory_similarity
